; Capture names are explained in app/core/outline.py.
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(decorated_definition) @wrap
(type_alias_statement left: (type) @name) @type
(module (assignment left: (identifier) @name) @constant)
(comment) @comment

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)

(assignment left: [(identifier) (attribute)] @bind type: (type)? @declared
  right: [(call function: [(identifier) (attribute)] @called) (identifier) @from]?)
(assignment left: (pattern_list (identifier) @bind))
(assignment left: (tuple_pattern (identifier) @bind))
(for_statement left: (identifier) @bind)
(for_statement left: (pattern_list (identifier) @bind))
(for_in_clause left: (identifier) @bind)
(for_in_clause left: (pattern_list (identifier) @bind))
(named_expression name: (identifier) @bind)
(as_pattern (call function: [(identifier) (attribute)] @called)? alias: (as_pattern_target (identifier) @bind))
(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(typed_parameter (identifier) @bind type: (type) @declared)
(typed_default_parameter name: (identifier) @bind type: (type) @declared)
(default_parameter name: (identifier) @bind)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
