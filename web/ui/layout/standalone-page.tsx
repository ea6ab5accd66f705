/** A short page that belongs to no event. */
import type { ReactNode } from 'react'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import { Logo } from '../icons-and-logo.tsx'
import { SkipLink } from './skip-link.tsx'

export function StandalonePage({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <div className="wrap plain">
      <StandaloneHeader />
      <main id="main">
        <h1 className="disp">{title}</h1>
        {children}
      </main>
    </div>
  )
}

/** Shows the header for a page that has none of its own. */
export function StandaloneHeader() {
  return (
    <>
      <SkipLink />
      <header>
        <a className="mark" href="/">
          <Logo />
          {COMMON_MESSAGES.product}
        </a>
      </header>
    </>
  )
}
