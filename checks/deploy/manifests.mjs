// `npm run check -- deploy/manifests`: checks the files for Compose and Kubernetes.
import "./compose/run.mjs";
import "./kubernetes/run.mjs";
