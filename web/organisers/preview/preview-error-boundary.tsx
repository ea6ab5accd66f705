/** Parts that keep the page alive while the file is not right. */
import type { ReactNode } from 'react'
import { Boundary } from '../../app/error-boundary.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { Checking } from '../editor/event-file-draft.ts'

/** Says when what is shown is not what the file says now. */
export function Stale({ checking }: { readonly checking: Checking }) {
  const { checked, event } = checking
  if (checked === null || checked.event !== null) return null
  return (
    <p className="org-stale">
      <Icon name="tri" />
      {event === null
        ? 'This file cannot be read as an event yet. See Findings.'
        : 'The file cannot be read as it stands, so this shows how it was before. See Findings.'}
    </p>
  )
}

/** An event with errors may ask for what cannot be drawn: then its place says so, and the editor stays. */
export function Guarded({
  resetBy,
  children,
}: {
  readonly resetBy: unknown
  readonly children: ReactNode
}) {
  const otherwise = (
    <p className="org-stale">
      <Icon name="tri" />
      This cannot be shown until the errors in the file are fixed. See Findings.
    </p>
  )
  return (
    <Boundary resetBy={resetBy} otherwise={otherwise}>
      {children}
    </Boundary>
  )
}
