/** The progress shown after Pay was pressed while a document is still uploading. */
import { useSyncExternalStore } from 'react'
import {
  CONNECTION_ERROR_MESSAGES,
  UPLOAD_MESSAGES as text,
  formatMessage,
} from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { findPendingUpload } from './upload-progress.ts'
import type { Proof } from './chosen-file.ts'
import type { Proofs } from './upload-progress.ts'

export function UploadInProgressNotice({
  proofs: { subscribe, all },
  shown,
}: {
  readonly proofs: Proofs
  readonly shown: ReadonlySet<string>
}) {
  const proof = useSyncExternalStore(subscribe, () => findPendingUpload(all(), shown))
  if (proof === null) return null
  return (
    <p className="why">
      <Icon name="clock" />
      {/* Running numbers are not announced at every step. */}
      <span aria-hidden="true">{describeProgress(proof, true)}</span>
      <span className="vh">{describeProgress(proof, false)}</span>
    </p>
  )
}

function describeProgress(proof: Proof, isCounted: boolean): string {
  if (proof.is === 'waiting') return CONNECTION_ERROR_MESSAGES.weakConnectionWhileWaiting
  return isCounted && proof.is === 'sending'
    ? formatMessage(text.waitProgress, { percent: proof.percent })
    : text.waitSending
}
