/** Machine translation of a project: `translate/` has these parts, as it knows the history's dialogs. */
import type { ComponentType } from 'react'
import type { MatrixPlace } from './matrix-axes.ts'

/** See `translate/translate-dialog.tsx`. */
export interface TranslateDialogProps {
  slug: string
  /** The languages that a machine translates into, where the reader may suggest texts. */
  languages: readonly string[]
  /** What is chosen first. */
  place: MatrixPlace
  onClose: () => void
  onStarted: () => void
}

/** See `translate/machine-jobs.tsx`. */
export interface MachineJobsProps {
  slug: string
  /** How many runs were started here: a new one moves the focus to it. */
  started: number
  onClose: () => void
}

/** Both load late. */
export interface MachineParts {
  TranslateDialog: ComponentType<TranslateDialogProps>
  MachineJobs: ComponentType<MachineJobsProps>
}
