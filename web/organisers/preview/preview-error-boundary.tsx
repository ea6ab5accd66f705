/** The error handling of the previews while the file has errors. */
import type { ReactNode } from 'react'
import { Boundary } from '../../app/error-boundary.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { Checking } from '../editor/event-file-draft.ts'

/** Notes that the preview does not show the current text. */
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

/**
 * Catches the errors of an event that cannot be rendered: shows a message in its place, and the
 * editor stays.
 */
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
