; Capture names are explained in app/core/outline.py.
(class_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (block)? @body) @method
(constructor_declaration name: (_) @name body: (_) @body) @method
(compact_constructor_declaration name: (_) @name body: (_) @body) @method
(annotation_type_element_declaration name: (_) @name) @method
(line_comment) @comment
(block_comment) @comment

(import_declaration) @import

(method_invocation object: (_)? @object name: (identifier) @call)
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @call)
(object_creation_expression type: (generic_type [(type_identifier) (scoped_type_identifier)] @call))
(explicit_constructor_invocation constructor: (super) @call)

(formal_parameter type: (_) @declared name: (identifier) @bind)
(spread_parameter (variable_declarator name: (identifier) @bind))
(field_declaration type: (_) @declared declarator: (variable_declarator name: (identifier) @bind))
(constant_declaration type: (_) @declared declarator: (variable_declarator name: (identifier) @bind))
(local_variable_declaration type: (_) @declared declarator: (variable_declarator name: (identifier) @bind
  value: (object_creation_expression type: (_) @made)?))
(enhanced_for_statement type: (_) @declared name: (identifier) @bind)
(resource type: (_) @declared name: (identifier) @bind)
(catch_formal_parameter (catch_type (_) @declared) name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
