; Capture names are explained in app/core/outline.py. A module holds methods and is a receiver, as a class is.
(class name: (_) @name body: (_)? @body) @class
(module name: (_) @name body: (_)? @body) @class
(assignment left: (constant) @name right: (call method: (identifier) @how block: (_) @body) (#match? @how "^(new|define)$")) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(call method: (identifier) @how arguments: (argument_list (simple_symbol) @name) (#match? @how "^(attr_reader|attr_writer|attr_accessor)$")) @method
(call method: (identifier) @how arguments: (argument_list . (simple_symbol) @name) block: (_) @body (#eq? @how "define_method")) @method
(call method: (identifier) @how arguments: (argument_list . (simple_symbol) @name (lambda) @body) (#eq? @how "scope")) @method
(program (assignment left: (constant) @name) @constant)
(module body: (body_statement (assignment left: (constant) @name) @constant))
(class body: (body_statement (assignment left: (constant) @name) @constant))
(call arguments: (argument_list [(method) (singleton_method)])) @wrap
(comment) @comment

(call method: (identifier) @require arguments: (argument_list (string)) (#match? @require "^(require|require_relative|load|autoload)$")) @import

(call receiver: (_)? @object method: [(identifier) (constant)] @call (#not-eq? @call "new"))
(call receiver: [(constant) (scope_resolution)] @call method: (identifier) @how (#eq? @how "new"))
(call !receiver method: (identifier) @call (#eq? @call "new"))

(assignment left: [(identifier) (instance_variable)] @bind)
(assignment left: [(identifier) (instance_variable)] @bind
  right: (call receiver: [(constant) (scope_resolution)] @made method: (identifier) @new))
(operator_assignment left: [(identifier) (instance_variable)] @bind
  right: (call receiver: [(constant) (scope_resolution)] @made method: (identifier) @new))
(left_assignment_list (identifier) @bind)
(method_parameters (identifier) @bind)
(method_parameters (_ name: (identifier) @bind))
(block_parameters (identifier) @bind)
(exception_variable (identifier) @bind)
