; Capture names are explained in app/core/outline.py. An extension is read as Rust's impl is: members of the type it names.
(class_declaration "class" name: (_) @name body: (_) @body) @class
(class_declaration "struct" name: (_) @name body: (_) @body) @class
(class_declaration "actor" name: (_) @name body: (_) @body) @class
(class_declaration "enum" name: (_) @name body: (_) @body) @enum
(class_declaration "extension" name: (_) @name body: (_) @body) @impl
(protocol_declaration name: (type_identifier) @name body: (_) @body) @interface
(function_declaration name: (simple_identifier) @name body: (_)? @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name body: (_)? @body) @method
(deinit_declaration "deinit" @name body: (_)? @body) @method
(subscript_declaration "subscript" @name) @method
(typealias_declaration name: (type_identifier) @name) @type
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_) @body) @method)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @constant)
(comment) @comment
(multiline_comment) @comment

(import_declaration) @import

(call_expression . [(simple_identifier) (navigation_expression)] @call)

(parameter name: (simple_identifier) @bind [(user_type) (optional_type)] @declared)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) (type_annotation [(user_type) (optional_type)] @declared))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) value: (call_expression . [(simple_identifier) (navigation_expression)] @called))
(for_statement item: (pattern bound_identifier: (simple_identifier) @bind))
(lambda_parameter name: (simple_identifier) @bind)
