/** The page's start. */
import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root')!).render(<h1>Parlance</h1>)
