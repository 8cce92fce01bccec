; include: ecmascript.scm
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_) @body) @module
(module name: (_) @name body: (_) @body) @module
(function_signature name: (identifier) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(ambient_declaration) @wrap

(public_field_definition name: (property_identifier) @bind type: (type_annotation (_) @declared)?
  value: (new_expression constructor: [(identifier) (member_expression)] @made)?)
(required_parameter pattern: (identifier) @bind type: (type_annotation (_) @declared)?)
(optional_parameter pattern: (identifier) @bind type: (type_annotation (_) @declared)?)
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @declared))
(required_parameter "readonly" pattern: (identifier) @field type: (type_annotation (_) @declared))
(optional_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @declared))
(optional_parameter "readonly" pattern: (identifier) @field type: (type_annotation (_) @declared))
(variable_declarator name: (identifier) @bind type: (type_annotation (_) @declared))
