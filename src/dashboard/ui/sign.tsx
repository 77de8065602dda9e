/** The icon of a state. Words beside it say the state: screen readers skip it. */
import './sign.css'

/** The names in `sign.css`. */
export type SignName =
  | 'missing'
  | 'empty'
  | 'incomplete'
  | 'stale'
  | 'problems'
  | 'translated'
  | 'extra'
  | 'approved'
  | 'unapproved'
  | 'machine'
  | 'refused'
  | 'suggested'
  | 'unsaved'
  | 'conflict'
  | 'gone'

/** See the top of the file. */
export const Sign = ({ of }: { of: SignName }) => <span aria-hidden data-sign={of} />
