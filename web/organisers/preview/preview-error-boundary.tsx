/** Error handling and notes for the previews while the file contains errors. */
import type { ReactNode } from 'react'
import { ErrorBoundary } from '../../app/error-boundary.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { CheckState } from '../editor/event-file-draft.ts'

/** Shows a note if the preview does not show the current text. */
export function OutdatedPreviewNote({ checkState }: { readonly checkState: CheckState }) {
  const { result, event, hasFailed } = checkState
  if (hasFailed)
    return (
      <p className="org-stale">
        <Icon name="tri" />
        The checker did not start, so there is no preview and there are no findings.
      </p>
    )
  if (result === null || result.event !== null) return null
  return (
    <p className="org-stale">
      <Icon name="tri" />
      {event === null
        ? 'This file cannot be read as an event yet. See Findings.'
        : 'The file cannot be read at the moment, so this preview shows its last readable version. See Findings.'}
    </p>
  )
}

/** States why the preview beside the questions does not show the table exactly as typed. */
export function TableMistakeNote({ isShown }: { readonly isShown: boolean }) {
  return (
    <p className="org-stale">
      <Icon name="tri" />
      {isShown
        ? 'The table is incomplete or has a mistake. This preview shows the last version without mistakes.'
        : 'The preview will appear once the fee table is complete and has no mistakes.'}
    </p>
  )
}

/**
 * Catches errors while an event is rendered, and shows a message in place of the preview. The editor is not affected.
 */
export function PreviewErrorBoundary({
  resetKey,
  children,
}: {
  readonly resetKey: unknown
  readonly children: ReactNode
}) {
  const fallback = (
    <p className="org-stale">
      <Icon name="tri" />
      The preview cannot be shown until the errors in the file are fixed. See Findings.
    </p>
  )
  return (
    <ErrorBoundary resetKey={resetKey} fallback={fallback}>
      {children}
    </ErrorBoundary>
  )
}
