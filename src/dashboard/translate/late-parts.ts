/** The parts of machine translation that load late, as one file: each file has a name in the first one. */
export { MachineJobs } from './machine-jobs.tsx'
export { TranslateDialog } from './translate-dialog.tsx'
