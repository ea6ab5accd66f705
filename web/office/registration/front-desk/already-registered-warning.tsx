/** The warning at the front desk that the person being added is already registered. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { isPaymentStatus, type PublicEvent } from '../../../../engine/index.ts'
import type {
  SimilarRegistrationsResponse,
  WireSimilarRegistration,
} from '../../../../engine/api.ts'
import type { Reader } from '../../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../../app/json-readers.ts'
import { callApi, buildRegistrationUrl } from '../../office-api-and-urls.ts'
import { RegNumber, RegistrationStatus } from '../../ui/error-banner-and-heading.tsx'

const API_PATH = '/api/admin/add/similar/'

const readSimilarRegistrations: Reader<SimilarRegistrationsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['similar'], (registration) =>
    isRecord(registration) &&
    hasAll(registration, 'string', 'reg_no', 'name', 'payment_status_display') &&
    Array.isArray(registration['matches']) &&
    isPaymentStatus(registration['payment_status']) &&
    typeof registration['in_review'] === 'boolean'
      ? registration
      : null,
  ) !== null
    ? (body as SimilarRegistrationsResponse)
    : null

/** The value before any answer. It triggers no lookup. */
export const NO_PERSON = '{}'
/** Returns the answers that identify a person as JSON, so that other answers do not trigger a lookup. */
export function serialisePerson(
  { roles }: PublicEvent,
  data: Readonly<Record<string, unknown>>,
): string {
  const ids = [roles.fullName, roles.email, roles.phone].filter((id) => id !== undefined)
  return JSON.stringify(Object.fromEntries(ids.map((id) => [id, data[id]])))
}

/**
 * Looks up registrations with the entered email, phone or name. Returns an empty list until the lookup has finished.
 */
function useSimilarRegistrations(
  { id: eventId }: PublicEvent,
  person: string,
): readonly WireSimilarRegistration[] {
  const query = useQuery({
    queryKey: ['similar', eventId, person],
    queryFn: ({ signal }) =>
      callApi(API_PATH, readSimilarRegistrations, {
        method: 'POST',
        json: { event: eventId, answers: JSON.parse(person) as unknown },
        signal,
      }),
    enabled: person !== NO_PERSON,
    // A failed lookup must not delay the front desk, so only the warning is omitted.
    retry: false,
  })
  return query.data?.similar ?? []
}

/** Lists registrations with the same email, phone or name, to prevent duplicates. */
export function AlreadyRegisteredWarning({
  event,
  person,
}: {
  readonly event: PublicEvent
  /** The answers that identify the person, as JSON. */
  readonly person: string
}) {
  const similar = useSimilarRegistrations(event, person)
  return (
    <div role="status">
      {similar.length > 0 && (
        <div className="panel">
          <p>
            <b>Already registered for {event.title}?</b>
          </p>
          <ul className="hits">
            {similar.map((registration) => (
              <li key={registration.reg_no}>
                <Link className="link" to={buildRegistrationUrl(event, registration.reg_no)}>
                  {registration.name}
                </Link>{' '}
                <span className="mute">same {registration.matches.join(' and ')}</span>{' '}
                <RegNumber text={registration.reg_no} />{' '}
                <RegistrationStatus registration={registration} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
