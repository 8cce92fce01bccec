; What JavaScript, TypeScript and TSX share. Capture names are explained in app/core/outline.py.
(function_declaration name: (identifier) @name body: (_) @body) @function
(generator_function_declaration name: (identifier) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(method_definition name: (_) @name body: (_) @body) @method
(pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(expression_statement (assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @function
(expression_statement (assignment_expression left: (member_expression) @name right: (class body: (_) @body))) @class
; `res.type = res.contentType = function …` names the function twice.
(assignment_expression right: (assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @function
(expression_statement (assignment_expression left: (member_expression) @name
  right: (assignment_expression right: [(arrow_function) (function_expression)]))) @function
(export_statement value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(export_statement value: (class body: (_) @body)) @class
; What `require` gives is imported, not defined.
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @constant) (#not-match? @value "^require\\("))
(program (variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value) @constant) (#not-match? @value "^require\\("))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(program (export_statement declaration: (variable_declaration (variable_declarator name: (identifier) @name) @constant)))
(lexical_declaration) @wrap
(variable_declaration) @wrap
(export_statement) @wrap
(decorator) @above
(comment) @comment

(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator value: (call_expression function: (identifier) @require arguments: (arguments (string))) (#eq? @require "require")) @import
(variable_declarator value: (member_expression object: (call_expression function: (identifier) @require arguments: (arguments (string)))) (#eq? @require "require")) @import

(call_expression function: [(identifier) (member_expression) (super)] @call)
(new_expression constructor: [(identifier) (member_expression)] @call)

(variable_declarator name: (identifier) @bind
  value: [(new_expression constructor: [(identifier) (member_expression)] @made) (call_expression function: [(identifier) (member_expression)] @called)]?)
(assignment_expression left: [(identifier) (member_expression)] @bind
  right: [(new_expression constructor: [(identifier) (member_expression)] @made) (identifier) @from]?)
(object_pattern (shorthand_property_identifier_pattern) @bind)
(object_pattern (pair_pattern value: (identifier) @bind))
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
