/** The progress shown after Pay was pressed while a document is still uploading. */
import { useSyncExternalStore } from 'react'
import {
  CONNECTION_ERROR_MESSAGES,
  UPLOAD_MESSAGES as text,
  formatMessage,
} from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { findPendingUpload } from './upload-progress.ts'
import type { SelectedDocument } from './chosen-file.ts'
import type { DocumentUploads } from './upload-progress.ts'

export function UploadInProgressNotice({
  uploads: { subscribe, all },
  shownFields,
}: {
  readonly uploads: DocumentUploads
  readonly shownFields: ReadonlySet<string>
}) {
  const pendingDocument = useSyncExternalStore(subscribe, () =>
    findPendingUpload(all(), shownFields),
  )
  if (pendingDocument === null) return null
  return (
    <p className="why">
      <Icon name="clock" />
      {/* Percentages are not announced at every step. */}
      <span aria-hidden="true">{describeProgress(pendingDocument, true)}</span>
      <span className="vh">{describeProgress(pendingDocument, false)}</span>
    </p>
  )
}

function describeProgress(pendingDocument: SelectedDocument, isCounted: boolean): string {
  if (pendingDocument.is === 'waiting') return CONNECTION_ERROR_MESSAGES.weakConnectionWhileWaiting
  return isCounted && pendingDocument.is === 'sending'
    ? formatMessage(text.waitProgress, { percent: pendingDocument.percent })
    : text.waitSending
}
