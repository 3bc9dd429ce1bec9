"""Names, addresses, sockets and trust: what kinds of check have in common below them."""
