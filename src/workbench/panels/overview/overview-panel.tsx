import { SERVICES } from "../../../../gen/services.js";
import { PanelHeading } from "../../kit/panel-heading.js";

/** What there is. */
export function OverviewPanel() {
  return <PanelHeading title="Overview" service={SERVICES.about} />;
}
