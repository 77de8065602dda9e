/** As a `ref`: is seen when it appears below what is seen. */
export const seenNow = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** As a `ref`: takes the focus when it appears in the place of what had it. It needs `tabIndex={-1}`. */
export const focusNow = (element: HTMLElement | null): void => element?.focus()
