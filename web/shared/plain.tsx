/** A page of a few words that belongs to no event. */
import type { ReactNode } from 'react'
import { Mark } from './icons.tsx'

export function Plain({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <main className="wrap plain" id="main">
      <a className="mark" href="/">
        <Mark />
        Rollcall
      </a>
      <h1 className="disp">{title}</h1>
      {children}
    </main>
  )
}
