/** A page as a whole, drawn alike by a browser and by the server. */
import { StrictMode, useEffect } from 'react'
import type { ReactNode } from 'react'
import { wearFaces } from './shared/faces.ts'
import { whenAtRest } from './shared/live.ts'
import { Sprite } from './shared/icons.tsx'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/header.css'
import './styles/ledger.css'
import './site/shell.css'

export function Whole({ children }: { readonly children: ReactNode }) {
  // The page works: now its faces may come.
  useEffect(() => whenAtRest(wearFaces), [])
  return (
    <StrictMode>
      <Sprite />
      {children}
    </StrictMode>
  )
}
