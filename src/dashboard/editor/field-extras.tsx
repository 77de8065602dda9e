/** What stands below a field and loads after it: one file, so that a first visit knows one name more only. */
import LengthCounter, { type LengthCounterProps } from './panel/length/length-counter.tsx'
import ProblemActions, { type ProblemActionsProps } from './problem-actions.tsx'

type Props = (ProblemActionsProps | (LengthCounterProps & { cell?: undefined })) & { onClose: () => void }

/** The actions on the problems of a cell, or the counter of a text. */
export default function FieldExtras(props: Props) {
  return props.cell ? <ProblemActions {...props} /> : <LengthCounter {...props} />
}
