/** Whether the panel is open: beside the grid in a wide window, else as a sheet on demand. */
import { useCallback, useState, useSyncExternalStore } from 'react'

/** The narrowest window with room for grid and panel; `editor.module.css` has the same. */
const WIDE = matchMedia('(width >= 1100px)')

function subscribe(changed: () => void): () => void {
  WIDE.addEventListener('change', changed)
  return () => WIDE.removeEventListener('change', changed)
}

/** The reader's choice lasts until the window becomes wide or narrow. */
export function usePanel() {
  const isWide = useSyncExternalStore(subscribe, () => WIDE.matches)
  const [chosen, choose] = useState<{ isWide: boolean; isOpen: boolean }>()
  const isOpen = chosen?.isWide === isWide ? chosen.isOpen : isWide
  const open = useCallback((isOpen: boolean) => choose({ isWide, isOpen }), [isWide])
  return { isOpen, isWide, open }
}
