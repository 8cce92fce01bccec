; Capture names are explained in app/core/outline.py. A module is read as a class: it holds functions and is a receiver.
(call target: (identifier) @how (arguments . (alias) @name) (do_block) @body (#match? @how "^(defmodule|defprotocol|defimpl)$")) @class
(call target: (identifier) @how (arguments . (call target: (identifier) @name)) (do_block) @body
  (#match? @how "^(def|defp|defmacro|defmacrop|defdelegate)$")) @function
(call target: (identifier) @how (arguments . (call target: (identifier) @name))
  (#match? @how "^(def|defp|defmacro|defmacrop|defdelegate|defguard|defguardp)$")) @function
(call target: (identifier) @how (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when")) (do_block) @body
  (#match? @how "^(def|defp|defmacro|defmacrop)$")) @function
(call target: (identifier) @how (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when"))
  (#match? @how "^(def|defp|defmacro|defmacrop|defguard|defguardp)$")) @function
(call target: (identifier) @how (arguments . (identifier) @name) (do_block) @body
  (#match? @how "^(def|defp|defmacro|defmacrop)$")) @function
(call target: (identifier) @how (arguments . (identifier) @name)
  (#match? @how "^(def|defp|defmacro|defmacrop)$")) @function
(unary_operator operator: "@" operand: (call target: (identifier) @how
  (#match? @how "^(doc|spec|impl|deprecated|typedoc|since|dialyzer|tag)$"))) @above
(unary_operator operator: "@" operand: (call target: (identifier) @how
  (#match? @how "^(spec|type|typep|opaque|callback|macrocallback)$")) @mute)
(unary_operator operator: "@" operand: (call target: (identifier) @mute))
(call target: (identifier) @mute
  (#match? @mute "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|defmodule|defprotocol|defimpl|defstruct|alias|import|require|use|quote|unquote|if|unless|case|cond|with|for|fn|receive|try)$"))
(call target: (identifier) @how (arguments . (call target: (identifier) @mute))
  (#match? @how "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate)$"))
(call target: (identifier) @how (arguments . (binary_operator left: (call target: (identifier) @mute) operator: "when"))
  (#match? @how "^(def|defp|defmacro|defmacrop|defguard|defguardp)$"))
(comment) @comment

(call target: (identifier) @how (#match? @how "^(alias|import|require|use)$")) @import

(call target: (identifier) @call)
(call target: (dot left: (_) @object right: (identifier) @call))
