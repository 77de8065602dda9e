/** A button that is on or off. */
import type { ReactNode } from 'react'

interface Props {
  className: string | undefined
  'aria-label'?: string
  isOn: boolean
  onChange: (on: boolean) => void
  children: ReactNode
}

/** The class decides its looks. */
export const Toggle = ({ isOn, onChange, ...attributes }: Props) => (
  <button {...attributes} type="button" aria-pressed={isOn} onClick={() => onChange(!isOn)} />
)
