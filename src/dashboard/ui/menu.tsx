/** A menu behind a button. */
import type { ReactElement, ReactNode } from 'react'
import { late } from './late.tsx'
import { OpenerContext, useOpener } from './opener.ts'

const Rows = late(() => import('./menu-rows.tsx'))

/** One row: does something, or leads to an address of the page. */
export interface Row {
  id: string
  label: string
  icon?: ReactNode
  note?: string
  danger?: boolean
  /** A line above it. */
  apart?: boolean
  onAction?: () => void
  to?: string
}

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
