/** The root component of a page, rendered identically by browser and server. */
import { StrictMode, useEffect } from 'react'
import type { ReactNode } from 'react'
import { loadFonts } from './load-fonts.ts'
import { runWhenIdle } from './hydration-state.ts'
import { Sprite } from '../ui/icons-and-logo.tsx'
import '../ui/styles/fonts.css'
import '../ui/styles/theme.css'
import '../ui/styles/base.css'
// The badge styles are imported here, because the landing page's server-rendered HTML contains badges before the script
// loads.
import '../ui/payment-status-badge.css'
import '../ui/layout/event-header.css'
import '../ui/details-list.css'
import '../landing/site-header-and-hero.css'
import '../landing/conferences.css'

export function AppRoot({ children }: { readonly children: ReactNode }) {
  // The page is now interactive, so the deferred fonts are loaded.
  useEffect(() => runWhenIdle(loadFonts), [])
  return (
    <StrictMode>
      <Sprite />
      {children}
    </StrictMode>
  )
}
