"""What people see. The only place for Qt; it talks to `app`, never to engine or store."""
