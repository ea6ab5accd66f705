/** The prices of additional items including tax: a table for each, then the rules of the event. */
import { Fragment } from 'react'
import { formatPrice, computePaidPrice } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { ALL_OTHERS, buildPriceList, listRuleGroups } from '../../../engine/authoring.ts'

export function ItemPrices({ event }: { readonly event: EventConfig }) {
  const taxes = event.fees.items.map(({ tax }) => tax)
  const list = buildPriceList(event)
  return (
    <>
      {list.tables
        .filter(({ id }) => id !== 'registration')
        .map(({ id, label, about, parts, periods }, item) => (
          <Fragment key={id}>
            <h2 className="disp" id={`org-sold-${id}`}>
              {/* The label of the bill line, without its placeholders. */}
              {label.replaceAll(/[:,–-]?\s*\{\w+\}/g, '').trim() || id}
            </h2>
            {about.length > 0 && <p className="org-about">{about.join('; ')}</p>}
            {parts.length > 0 && (
              <div
                className="org-prices"
                tabIndex={0}
                role="region"
                aria-labelledby={`org-sold-${id}`}
              >
                <table>
                  <thead>
                    <tr>
                      <th scope="col">
                        <span className="vh">Item</span>
                      </th>
                      {periods.map((period) => (
                        <th key={period.id} scope="col">
                          {period.label}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  {parts.map(({ when, categories, rows }) => (
                    <tbody key={when ?? ''}>
                      {when !== null && (
                        <tr>
                          <th scope="rowgroup" colSpan={periods.length + 1}>
                            {categories?.join(', ') ??
                              (when === ALL_OTHERS ? 'All others' : <code>{when}</code>)}
                          </th>
                        </tr>
                      )}
                      {rows.map((row) => (
                        <tr key={row.id}>
                          <th scope="row">{row.label}</th>
                          {row.cells.map((cell, index) => (
                            <td key={periods[index]?.id} data-head={periods[index]?.label}>
                              {cell === null
                                ? '–'
                                : formatPrice(
                                    computePaidPrice(taxes[item] ?? null, cell),
                                    row.currency,
                                  )}
                            </td>
                          ))}
                        </tr>
                      ))}
                    </tbody>
                  ))}
                </table>
              </div>
            )}
          </Fragment>
        ))}
      {listRuleGroups(list).map(({ title, rules }) => (
        <Fragment key={title}>
          <h2 className="disp">{title}</h2>
          <dl className="org-rules">
            {rules.map((rule) => (
              <div key={rule.id}>
                <dt>{rule.id}</dt>
                <dd>{rule.description}</dd>
              </div>
            ))}
          </dl>
        </Fragment>
      ))}
    </>
  )
}
