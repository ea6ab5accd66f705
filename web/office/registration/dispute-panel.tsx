/** The disputes about one registration's payments, with the evidence to download. */
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'

/** Renders nothing if no payment of the registration was disputed. */
export function DisputePanel({
  evidenceUrl,
  disputes,
}: {
  readonly evidenceUrl: string | null
  readonly disputes: OfficeRegistrationResponse['disputes']
}) {
  if (disputes.length === 0) return null
  return (
    <section className="pan" aria-labelledby="reg-disputes">
      <h2 id="reg-disputes">Disputes</h2>
      <ul className="log">
        {disputes.map(({ id, text, details, since, is_open: isOpen }) => (
          <li key={id}>
            <span className={isOpen ? 'care' : undefined}>
              <span>
                {text}
                <small>
                  {id}, since {since}
                </small>
                {details !== '' && <small>{details}</small>}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {evidenceUrl !== null && (
        <p>
          <a href={evidenceUrl} download>
            <Icon name="file" small /> Evidence (PDF)
          </a>
        </p>
      )}
    </section>
  )
}
