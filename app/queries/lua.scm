; Capture names are explained in app/core/outline.py.
(function_declaration name: (_) @name body: (_)? @body) @function
(assignment_statement (variable_list . name: (_) @name .) (expression_list . value: (function_definition) .)) @function
(field name: (identifier) @name value: (function_definition)) @function
; What another module has (`local gsub = string.gsub`) or `require` gives is not defined here.
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name) (expression_list . value: (_) @value)) @constant)
  (#not-match? @value "^(require\\b.*|[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+)$"))
(chunk (variable_declaration (variable_list name: (identifier) @name) @constant))
(variable_declaration) @wrap
(comment) @comment

(assignment_statement (variable_list . name: (identifier)) (expression_list . value: (function_call name: (identifier) @require))
  (#eq? @require "require")) @import
(chunk (function_call name: (identifier) @require arguments: (arguments (string))) @import (#eq? @require "require"))

(function_call name: [(identifier) (dot_index_expression)] @call)
(function_call name: (method_index_expression table: (_) @object method: (identifier) @call))

(variable_list name: (identifier) @bind)
(parameters name: (identifier) @bind)
