/** A menu behind a button. */
import type { ReactElement } from 'react'
import { late } from './late.tsx'
import type { Row } from './menu-rows.tsx'
import { OpenerContext, useOpener } from './opener.ts'

const Rows = late(() => import('./menu-rows.tsx'))

interface Props {
  /** What opens it: a `Trigger`. */
  button: ReactElement
  rows: readonly Row[]
  label: string
  /** With {@link Props.onOpenChange}: something else opens it too. */
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** Choosing closes it. */
export function Menu({ button, rows, label, ...own }: Props) {
  const { opener, opened } = useOpener('menu', own)
  return (
    <>
      <OpenerContext value={opener}>{button}</OpenerContext>
      {opened && <Rows {...opened} rows={rows} label={label} />}
    </>
  )
}

/** What tells that a row of a menu is chosen; the words of the others begin where its do. */
export const ticked = (on: boolean, note: string) => ({
  icon: <span aria-hidden>{on ? '✓' : '\u2003'}</span>,
  ...(on && { note }),
})
