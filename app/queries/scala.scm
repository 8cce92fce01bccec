; Capture names are explained in app/core/outline.py.
(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @class
(package_object name: (_) @name body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body) @interface
(enum_definition name: (_) @name body: (_) @body) @enum
(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
(type_definition name: (_) @name) @type
(given_definition name: (_) @name) @constant
(compilation_unit (val_definition pattern: (identifier) @name) @constant)
(object_definition body: (template_body (val_definition pattern: (identifier) @name) @constant))
(comment) @comment
(block_comment) @comment

(import_declaration) @import

(call_expression function: [(identifier) (field_expression)] @call)
(call_expression function: (generic_function function: [(identifier) (field_expression)] @call))
(instance_expression . [(type_identifier) (stable_type_identifier)] @call)
(instance_expression . (generic_type type: [(type_identifier) (stable_type_identifier)] @call))

(parameter name: (identifier) @bind type: (_) @declared)
(class_parameter name: (identifier) @bind type: (_) @declared)
(val_definition pattern: (identifier) @bind type: (_) @declared)
(var_definition pattern: (identifier) @bind type: (_) @declared)
(val_definition pattern: (identifier) @bind value: (instance_expression . [(type_identifier) (stable_type_identifier) (generic_type)] @made))
(var_definition pattern: (identifier) @bind value: (instance_expression . [(type_identifier) (stable_type_identifier) (generic_type)] @made))
(val_definition pattern: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(lambda_expression parameters: (bindings (binding name: (identifier) @bind)))
