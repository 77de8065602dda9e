/** The badges of changes. */
import { Minus, Pencil, Plus, SkipForward } from 'lucide-react'

/** How a key's change looks. */
export const CHANGES = {
  added: { kind: 'good', mark: <Plus /> },
  updated: { kind: 'info', mark: <Pencil /> },
  removed: { kind: 'bad', mark: <Minus /> },
  skipped: { kind: 'warn', mark: <SkipForward /> },
} as const
