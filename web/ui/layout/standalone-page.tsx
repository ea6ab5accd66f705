/** A short page that belongs to no event. */
import type { ReactNode } from 'react'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import { Mark } from '../icons-and-logo.tsx'
import { SkipLink } from './skip-link.tsx'

export function Plain({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <div className="wrap plain">
      <Head />
      <main id="main">
        <h1 className="disp">{title}</h1>
        {children}
      </main>
    </div>
  )
}

/** Header of a page that has no other. */
export function Head() {
  return (
    <>
      <SkipLink />
      <header>
        <a className="mark" href="/">
          <Mark />
          {COMMON_MESSAGES.product}
        </a>
      </header>
    </>
  )
}
