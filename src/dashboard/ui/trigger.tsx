/** A button that opens a menu. */
import { type ButtonHTMLAttributes, useContext } from 'react'
import { type ButtonAppearance, classOf } from './button.tsx'
import { OpenerContext } from './opener.ts'

type Props = ButtonAppearance & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'className'>

/** Looks like any other. */
export function Trigger({ look, small, icon, children, ...attributes }: Props) {
  return (
    <button type="button" {...attributes} {...useContext(OpenerContext)} className={classOf({ look, small, children })}>
      {icon}
      {children}
    </button>
  )
}
