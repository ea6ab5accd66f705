/** A page of a few words that belongs to no event. */
import type { ReactNode } from 'react'
import { Mark } from './icons.tsx'
import { SkipLink } from './skip.tsx'

export function Plain({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <div className="wrap plain">
      <SkipLink />
      <header>
        <a className="mark" href="/">
          <Mark />
          Rollcall
        </a>
      </header>
      <main id="main">
        <h1 className="disp">{title}</h1>
        {children}
      </main>
    </div>
  )
}
