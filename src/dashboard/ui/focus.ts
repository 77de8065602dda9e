/** As a `ref`: takes the focus when it appears in the place of what had it. It needs `tabIndex={-1}`. */
export const focusNow = (element: HTMLElement | null): void => element?.focus()
