/** A page as a whole, drawn alike by a browser and by the server. */
import { StrictMode } from 'react'
import type { ReactNode } from 'react'
import { Sprite } from './shared/icons.tsx'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/header.css'
import './styles/ledger.css'
import './site/shell.css'

export const Whole = ({ children }: { readonly children: ReactNode }) => (
  <StrictMode>
    <Sprite />
    {children}
  </StrictMode>
)
