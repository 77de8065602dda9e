/** What stands below a field and loads after it: one file, so that a first visit knows one name more only. */
import LengthCounter, { type LengthCounterProps } from './panel/length-counter.tsx'
import ProblemActions, { type ProblemActionsProps } from './problem-actions.tsx'

type Props = (ProblemActionsProps | (LengthCounterProps & { cell?: undefined })) & { onClose: () => void }

/** The actions on the problems of a cell, or the counter of a text. */
export default function FieldExtras(props: Props) {
  if (!props.cell) return <LengthCounter {...props} />
  // The new state's buttons do not wait for the write that led to it, which still refreshes other queries.
  return <ProblemActions key={props.cell.dismissed.join()} {...props} />
}
