; A component used in JSX is called: <Panel/> runs Panel.
(jsx_opening_element name: [(identifier) (member_expression)] @component)
(jsx_self_closing_element name: [(identifier) (member_expression)] @component)
