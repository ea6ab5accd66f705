/** The content of one email, and its delivery. Loaded on demand. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount } from '../../../engine/index.ts'
import type { WireMail } from '../../../engine/api.ts'
import { DetailsList } from '../../ui/details-list.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { callApi } from '../office-api-and-urls.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { formatDateTime } from '../ui/format-date-time.ts'
import { explainDeliveryError } from './delivery-errors.ts'
import { readEmails } from './operations-api-responses.ts'

type EmailDetailsProps = { readonly id: number; readonly subject: string }

export function EmailDetails({ id, subject }: EmailDetailsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="choices" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Show email<span className="vh">: {subject}</span>
      </summary>
      {isOpen && <Content id={id} />}
    </details>
  )
}

function Content({ id }: { readonly id: number }) {
  const query = useQuery({
    queryKey: ['mails', 'details', id],
    queryFn: ({ signal }) => callApi(`/api/admin/mail/?id=${id}`, readEmails, { signal }),
  })
  const error = useSignInOn401(query.error)
  if (error)
    return (
      <Banner
        text={error.message}
        action={{ label: 'Try Again', onClick: () => void query.refetch() }}
      />
    )
  if (query.data === undefined)
    return (
      <p className="spinner" role="status">
        <span className="spin" aria-hidden="true" />
        <span className="vh">Loading the email</span>
      </p>
    )
  const [email] = query.data.mails
  if (email?.details === undefined) return <p className="mute">This email no longer exists.</p>
  const { text } = email.details
  return (
    <>
      <DetailsList
        rows={buildDeliveryRows(email).map(([label, value]) => ({ id: label, label, value }))}
      />
      {text === '' ? (
        <p className="mute">The text was erased when the recipient’s personal data was erased.</p>
      ) : (
        <pre className="email-text">{text}</pre>
      )}
    </>
  )
}

function buildDeliveryRows({
  tries,
  error,
  next_at,
  details,
}: WireMail): readonly (readonly [string, string])[] {
  if (details === undefined) return []
  const { queued_at, sent_at, tried_at } = details
  const buildRow = (label: string, time: string | null): readonly (readonly [string, string])[] =>
    time === null ? [] : [[label, formatDateTime(time)]]
  return [
    ...buildRow('Queued', queued_at),
    ['Attempts', formatCount(tries)],
    ...(tried_at === null
      ? []
      : [
          [
            'Last failed attempt',
            error === null
              ? formatDateTime(tried_at)
              : `${formatDateTime(tried_at)}: ${explainDeliveryError(error)}`,
          ] as const,
        ]),
    ...(sent_at === null ? buildRow('Next attempt', next_at) : buildRow('Sent', sent_at)),
  ]
}
