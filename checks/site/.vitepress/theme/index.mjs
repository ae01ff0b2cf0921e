import { useData } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { nextTick, onMounted, watch } from "vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  // The start page of VitePress has no element `main`, which readers of screens jump to.
  setup() {
    const { frontmatter } = useData();
    const markMain = () => {
      const content = document.getElementById("VPContent");
      if (frontmatter.value.layout === "home") {
        content?.setAttribute("role", "main");
      } else {
        content?.removeAttribute("role");
      }
    };
    onMounted(markMain);
    watch(frontmatter, () => nextTick(markMain));
  },
};
