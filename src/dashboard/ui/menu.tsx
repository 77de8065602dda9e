/** A menu behind a button. */
import type { ReactElement } from 'react'
import { late } from './late.tsx'
import type { MenuRow } from './menu-rows.tsx'
import { OpenerContext, useOpener } from './opener.ts'

const Rows = late(() => import('./menu-rows.tsx'))

interface Props {
  /** The button that opens it: a `Trigger`. */
  button: ReactElement
  rows: readonly MenuRow[]
  label: string
  /** Of the rows with a state one is chosen, or any number; any by default. */
  chooses?: 'one' | 'any'
  /** With {@link Props.onOpenChange}: something else opens it too. */
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** Choosing closes it. */
export function Menu({ button, rows, label, chooses, ...own }: Props) {
  const { opener, opened } = useOpener('menu', own)
  return (
    <>
      <OpenerContext value={opener}>{button}</OpenerContext>
      {opened && <Rows {...opened} rows={rows} label={label} chooses={chooses} />}
    </>
  )
}
