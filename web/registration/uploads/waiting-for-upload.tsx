/** The progress shown after Pay was pressed while a document is still uploading. */
import { useSyncExternalStore } from 'react'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { underway } from './upload-progress.ts'
import type { Proof } from './chosen-file.ts'
import type { Proofs } from './upload-progress.ts'

export function Held({
  proofs: { subscribe, all },
  shown,
}: {
  readonly proofs: Proofs
  readonly shown: ReadonlySet<string>
}) {
  const proof = useSyncExternalStore(subscribe, () => underway(all(), shown))
  if (proof === null) return null
  return (
    <p className="why">
      <Icon name="clock" />
      {/* Running numbers are not announced at every step. */}
      <span aria-hidden="true">{sentenceOf(proof, true)}</span>
      <span className="vh">{sentenceOf(proof, false)}</span>
    </p>
  )
}

function sentenceOf(proof: Proof, isCounted: boolean): string {
  const then = 'We will continue as soon as it has arrived.'
  if (proof.is === 'waiting')
    return `Your connection is weak. We are still trying to send your file. ${then}`
  return isCounted && proof.is === 'sending'
    ? `Sending your file: ${proof.percent}%. ${then}`
    : `Sending your file. ${then}`
}
