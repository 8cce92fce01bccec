; Capture names are explained in app/core/outline.py.
(function_definition name: (_) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name) @constant))
(declaration_command) @wrap
(comment) @comment

(command name: (command_name (word) @source) argument: (_) (#match? @source "^(source|\\.)$")) @import

(command name: (command_name (word) @call))
