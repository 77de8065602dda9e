/** The first is the one that developers write in. */
export const LANGUAGES = ['en', 'pl', 'ar'] as const
