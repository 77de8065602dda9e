/** The start of the query keys of a language's suggestions. Live events outdate them. */
export const suggestionsKey = (slug: string, language: string) => ['project', slug, 'suggestions', language] as const
