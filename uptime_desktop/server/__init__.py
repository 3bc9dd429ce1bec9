"""What other programs of this computer reach us through."""
