/** The documents and answers to review for an approval, and the category offered with a refusal. */
import { formatPrice, fromRupees } from '../../../engine/index.ts'
import type { ActionsAnswer } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

/** `mayOffer`: a refusal may offer another category. */
export function SeenFirst({
  approval,
  mayOffer,
}: Pick<ActionsAnswer, 'approval'> & { readonly mayOffer: boolean }) {
  if (approval === null) return null
  const { look_at: files, offer, total } = approval
  return (
    <>
      <ul className="files">
        {files.map(({ id, label, name, href }) => (
          <li key={id}>
            {label}:{' '}
            {href === null ? (
              'not uploaded'
            ) : (
              <a href={href} download>
                <Icon name="file" small /> {name}
              </a>
            )}
          </li>
        ))}
      </ul>
      {!mayOffer && total !== null && (
        <p>
          {total === 0
            ? 'This registration is free. Approving it completes it.'
            : `The delegate gets an email with a link to pay ${said(total)}.`}
        </p>
      )}
      {mayOffer && offer !== null && (
        <div className="ticks">
          <label>
            <input type="checkbox" name="offer" defaultChecked />
            <span>
              Offer {offer.label} for {said(offer.total)} instead
            </span>
          </label>
        </div>
      )}
    </>
  )
}

const said = (amount: number): string => {
  const paise = fromRupees(amount)
  return paise === null ? '' : formatPrice(paise)
}
