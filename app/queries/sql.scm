; Capture names are explained in app/core/outline.py. A table or view is a type, and a statement that reads or writes one calls it.
(create_table (object_reference name: (identifier) @name)) @type
(create_view (object_reference name: (identifier) @name)) @type
(create_materialized_view (object_reference name: (identifier) @name)) @type
(create_type (object_reference name: (identifier) @name)) @type
(create_function (object_reference name: (identifier) @name) (function_body) @body) @function
(create_function (object_reference name: (identifier) @name)) @function
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @function
(create_index column: (identifier) @name) @constant
(create_sequence (object_reference name: (identifier) @name)) @constant
(create_schema (identifier) @name) @module
(statement) @wrap
(comment) @comment
(marginalia) @comment

(invocation (object_reference) @call)
(relation (object_reference) @call)
(insert (object_reference) @call)
(alter_table (object_reference) @call)
(column_definition (object_reference) @call)
(create_trigger (keyword_on) . (object_reference) @call)
(create_trigger [(keyword_function) (keyword_procedure)] . (object_reference) @call)
(create_index (object_reference) @call)
