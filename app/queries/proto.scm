; Capture names are explained in app/core/outline.py.
(message (message_name) @name (message_body) @body) @class
(enum (enum_name) @name (enum_body) @body) @enum
(service (service_name) @name . "{" @body) @interface
(rpc (rpc_name) @name) @method
(comment) @comment

(import) @import

(field (type (message_or_enum_type) @call))
(rpc (message_or_enum_type) @call)
