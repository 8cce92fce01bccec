; Capture names are explained in app/core/outline.py. Members of a companion object are members of its class.
(class_declaration . "class" (type_identifier) @name (class_body) @body) @class
(class_declaration . "class" (type_identifier) @name) @class
(class_declaration . (modifiers) . "class" (type_identifier) @name (class_body) @body) @class
(class_declaration . (modifiers) . "class" (type_identifier) @name) @class
(class_declaration "interface" (type_identifier) @name (class_body) @body) @interface
(class_declaration "interface" (type_identifier) @name) @interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @enum
(class_declaration "enum" (type_identifier) @name) @enum
(object_declaration (type_identifier) @name (class_body) @body) @class
(object_declaration (type_identifier) @name) @class
(type_alias . (type_identifier) @name) @type
(function_declaration (simple_identifier) @name (function_body) @body) @function
(function_declaration (simple_identifier) @name) @function
(secondary_constructor "constructor" @name (statements)? @body) @method
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @constant)
(class_body (property_declaration (modifiers (property_modifier)) (variable_declaration (simple_identifier) @name)) @constant)
(line_comment) @comment
(multiline_comment) @comment

(import_header) @import

(call_expression . [(simple_identifier) (navigation_expression)] @call)
(delegation_specifier (constructor_invocation (user_type) @call))

(class_parameter (simple_identifier) @field [(user_type) (nullable_type)] @declared)
(parameter (simple_identifier) @bind [(user_type) (nullable_type)] @declared)
(variable_declaration (simple_identifier) @bind)
(variable_declaration (simple_identifier) @bind [(user_type) (nullable_type)] @declared)
(property_declaration (variable_declaration (simple_identifier) @bind) (call_expression . [(simple_identifier) (navigation_expression)] @called))
(catch_block (simple_identifier) @bind (user_type) @declared)
